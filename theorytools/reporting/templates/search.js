// Search, and letters on hover or tap: a convenience, every page is whole without it.
(function () {
  "use strict";
  var kinds = "KINDS", rule = "RULE", lines = "PLACES", root = document.currentScript.dataset.root, places = null, vocabulary = [];
  var box = document.getElementById("search"), input = document.createElement("input"), list = document.createElement("ol");
  input.type = "search"; input.placeholder = "Search  ( / )"; input.setAttribute("aria-label", "Search statements, claims, constructions, commands and documents");
  list.className = "found"; list.hidden = true; box.append(input, list);
  // the rule is that of theorytools/reporting/lookup.py, by which the terminal ranks: what is changed here is changed there
  function stem(word) {
    if (/^\d+$/.test(word)) return word.replace(/^0+/, "") || "0";
    if (word.length > 4 && word.endsWith("ies")) return word.slice(0, -3) + "y";
    return word.length > 3 && word.endsWith("s") && !/[su]s$/.test(word) ? word.slice(0, -1) : word;
  }
  function tokens(text) {
    var joined = (text.match(/\b[A-Za-z]*[a-z][A-Z][A-Za-z]*\b|\b[A-Z]{2,}[a-z]{2,}[A-Za-z]*\b/g) || []).join(" ");
    var parted = text.replace(/([a-zß-ÿ])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$2 ");
    return Array.from(new Set(((parted + " " + joined).toLowerCase().match(/\d+(?:\.\d+)+|\d+|[\p{L}\p{No}]+/gu) || []).map(stem)));
  }
  function letters(word) { return /^\p{L}+$/u.test(word); }
  function met(word, other) {
    var begin = 0;
    if (word === other) return 1;
    if (!letters(word) || !letters(other)) return 0;
    if (word.length >= 3 && other.startsWith(word)) return rule.LONGER;
    while (begin < word.length && word[begin] === other[begin]) begin += 1;
    return begin >= 4 && begin >= 0.6 * Math.max(word.length, other.length) ? rule.ALIKE : 0;
  }
  function slips(a, b) {
    var before = [], last = Array.from({length: b.length + 1}, function (_, j) { return j; }), row, i, j;
    for (i = 1; i <= a.length; i += 1) {
      row = [i];
      for (j = 1; j <= b.length; j += 1) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      before = last; last = row;
    }
    return last[b.length];
  }
  function near(word, allowed, count) {
    var found = [];
    if (letters(word)) vocabulary.forEach(function (other) {
      if (letters(other) && other.length > 2 && Math.abs(other.length - word.length) <= allowed) found.push([slips(word, other), other]);
    });
    found = found.filter(function (one) { return one[0] <= allowed; });
    found.sort(function (a, b) { return a[0] - b[0] || (a[1] < b[1] ? -1 : 1); });
    return found.slice(0, count).map(function (one) { return one[1]; });
  }
  function slip(word) {
    if (!letters(word) || word.length < 4) return "";
    return near(word, word.length < 8 ? 1 : 2, vocabulary.length).filter(function (other) { return other.length > 3 && other[0] === word[0]; })[0] || "";
  }
  function prepare() {
    var page = "", above = -1, all = new Set();
    places = lines.map(function (line, k) {
      var name = line[1], within = line[0] === rule.CLAIM && line[3] === 0;
      if (line[0] === rule.STATEMENT) { page = line[3]; above = k; }
      var place = {kind: line[0], name: name, said: line[2], href: within ? page + "#" + name : line[3] || "", label: line[4] || "", use: line[6] || "", above: within ? above : -1};
      place.parts = [tokens(name + " " + place.label), tokens(place.said), tokens(line[5] || "")];
      place.parts.forEach(function (part) { part.forEach(function (word) { all.add(word); }); });
      return place;
    });
    vocabulary = Array.from(all);
  }
  function find(text) {
    var asked = tokens(text), known = [], read = [], unknown = [], meeting, rarity, scores, best;
    if (!places) prepare();
    var own = asked.filter(function (word) { return !rule.FILLERS.includes(word); });
    (own.length ? own : asked).forEach(function (word) {
      var other = vocabulary.some(function (one) { return met(word, one); }) ? word : slip(word);
      if (!other) { unknown.push([word, near(word, Math.floor(word.length / 2), 3)]); return; }
      if (other !== word) read.push([word, other]);
      if (!known.includes(other)) known.push(other);
    });
    meeting = known.map(function (word) {
      var how = new Map();
      vocabulary.forEach(function (other) { var value = met(word, other); if (value) how.set(other, value); });
      return how;
    });
    rarity = meeting.map(function (how) {
      var having = places.filter(function (place) { return place.parts.some(function (part) { return part.some(function (word) { return how.has(word); }); }); });
      return Math.log(1 + places.length / (1 + having.length));
    });
    scores = places.map(function (place) {
      var total = 0, having = 0, named = 0;
      meeting.forEach(function (how, k) {
        var value = place.parts.map(function (part) { return Math.max.apply(null, [0].concat(part.map(function (word) { return how.get(word) || 0; }))); });
        total += rarity[k] * Math.max(rule.NAME * value[0], rule.TITLE * value[1], rule.TEXT * value[2]);
        having += Math.max.apply(null, value) > 0 ? 1 : 0;
        named += value[0] === 1 ? 1 : 0;
      });
      return total * (1 + named / Math.max(place.parts[0].length, 1)) * rule.FACTORS[place.kind] * Math.pow(having / Math.max(known.length, 1), 2);
    });
    best = Math.max.apply(null, scores.concat(0));
    return {read: read, unknown: unknown, places: places.map(function (place, k) { return k; }).filter(function (k) {
      return scores[k] > rule.SHARE * best && (places[k].above < 0 || scores[k] > scores[places[k].above]);
    }).sort(function (a, b) { return scores[b] - scores[a] || a - b; }).map(function (k) { return places[k]; })};
  }
  function look() {
    var found;
    list.textContent = ""; list.hidden = !input.value.trim();
    if (list.hidden) return;
    found = find(input.value);
    function line(parts) { var item = document.createElement("li"); item.append.apply(item, parts); list.append(item); }
    found.places.slice(0, 12).forEach(function (place) {
      var link = document.createElement(place.href ? "a" : "b"), kind = document.createElement("small");
      if (place.href) link.href = root + place.href;
      link.textContent = place.label || place.name; kind.textContent = " " + kinds[place.kind] + " ";
      line([link, kind, [place.label ? place.name : "", place.said, place.use].filter(Boolean).join(" · ").replace(/\$/g, "")]);
    });
    found.read.forEach(function (pair) { line([pair[0] + " was read as " + pair[1]]); });
    found.unknown.forEach(function (pair) {
      line(["nothing has the word " + pair[0] + (pair[1].length ? "; the nearest are " + pair[1].join(", ") : "")]);
    });
    if (!found.places.length && !found.unknown.length) line(["nothing found"]);
  }
  input.addEventListener("input", look);
  input.addEventListener("keydown", function (event) {
    var first = list.querySelector("a");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "Escape") { input.value = ""; look(); input.blur(); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); input.focus(); }
  });
  document.querySelectorAll("section.claim").forEach(function (section) {
    var letters = {}, told = section.querySelector("a.told");
    [told && document.getElementById(told.hash.slice(1)), section].forEach(function (place) {
      (place ? place.querySelectorAll(".letter") : []).forEach(function (one) {
        var formula = one.querySelector("math");
        if (formula) letters[formula.textContent.trim()] = one.textContent.trim();
      });
    });
    section.querySelectorAll("math mi, math msub, math msup").forEach(function (part) {
      var said = letters[part.textContent.trim()];
      if (said && !part.closest(".letter")) part.setAttribute("title", said);
    });
  });
  var note = document.createElement("p");
  note.className = "tapped"; note.hidden = true; note.setAttribute("role", "status"); document.body.append(note);
  document.addEventListener("click", function (event) {
    var part = event.target.closest("math [title]"), at;
    note.hidden = !part;
    if (!part) return;
    at = part.getBoundingClientRect();
    note.textContent = part.getAttribute("title");
    note.style.left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - 270)) + window.scrollX + "px";
    note.style.top = at.bottom + window.scrollY + 4 + "px";
  });
}());

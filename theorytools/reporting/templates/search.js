// Search, and letters on hover or tap: a convenience, every page is whole without it.
(function () {
  "use strict";
  var places = "PLACES", root = document.currentScript.dataset.root;
  var box = document.getElementById("search"), input = document.createElement("input"), list = document.createElement("ol");
  input.type = "search"; input.placeholder = "Search  ( / )"; input.setAttribute("aria-label", "Search statements and claims");
  list.className = "found"; list.hidden = true; box.append(input, list);
  function look() {
    var asked = input.value.toLowerCase().split(/\s+/).filter(Boolean), hits = [];
    list.textContent = ""; list.hidden = !asked.length;
    if (!asked.length) return;
    places.forEach(function (place, k) {
      var name = place[0].toLowerCase(), text = name + " " + place[1].toLowerCase();
      if (!asked.every(function (word) { return text.replace(/_/g, " ").includes(word) || text.includes(word); })) return;
      hits.push([name === asked.join(" ") ? 0 : name.startsWith(asked[0]) ? 1 : 2, place[0].length, k]);
    });
    hits.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]; });
    hits.slice(0, 12).forEach(function (hit) {
      var place = places[hit[2]], item = document.createElement("li"), link = document.createElement("a");
      link.href = root + place[2]; link.textContent = place[0];
      item.append(link, " " + place[1].replace(/\$/g, "").slice(0, 90)); list.append(item);
    });
    if (!hits.length) { var none = document.createElement("li"); none.textContent = "nothing found"; list.append(none); }
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

// Filters of the table of claims: a convenience, without it every claim is shown.  What is chosen stands in the address.
(function () {
  "use strict";
  var HEADS = ["paper", "role", "outcome", "evidence", "horizon"];
  var lines = Array.prototype.map.call(document.querySelectorAll("tr[data-is]"), function (line) {
    return { line: line, is: line.dataset.is.split("|") };
  });
  var form = document.createElement("form"), said = document.createElement("p"), chosen = {}, selects = {};
  form.className = "filters"; form.setAttribute("role", "search"); form.setAttribute("aria-label", "filter the claims");
  said.className = "count"; said.setAttribute("role", "status");
  function fits(one, but) {
    return HEADS.every(function (head, k) { return head === but || !chosen[head] || chosen[head] === one.is[k]; });
  }
  function read() {
    var parts = new URLSearchParams(location.hash.slice(1));
    HEADS.forEach(function (head) { chosen[head] = parts.get(head) || ""; });
  }
  function write() {
    var parts = new URLSearchParams();
    HEADS.forEach(function (head) { if (chosen[head]) parts.set(head, chosen[head]); });
    history.replaceState(null, "", "#" + parts.toString());
  }
  function show() {
    var shown = 0, any = HEADS.some(function (head) { return chosen[head]; });
    lines.forEach(function (one) { one.line.hidden = !fits(one, ""); shown += !one.line.hidden; });
    document.querySelectorAll("tr.gap").forEach(function (line) { line.hidden = any; });
    ["table.index tbody", "section.shelf"].forEach(function (name) {
      document.querySelectorAll(name).forEach(function (part) { part.hidden = any && !part.querySelector("tr[data-is]:not([hidden])"); });
    });
    said.textContent = any ? shown + " of " + lines.length + " claims" : lines.length + " claims";
    HEADS.forEach(function (head, k) {
      var counts = {};
      lines.forEach(function (one) { if (fits(one, head)) counts[one.is[k]] = (counts[one.is[k]] || 0) + 1; });
      Array.prototype.forEach.call(selects[head].options, function (option) {
        if (option.value) option.textContent = option.value + " (" + (counts[option.value] || 0) + ")";
      });
      selects[head].value = chosen[head];
    });
  }
  HEADS.forEach(function (head, k) {
    var label = document.createElement("label"), select = document.createElement("select"), seen = {};
    select.add(new Option("any", ""));
    lines.forEach(function (one) { seen[one.is[k]] = true; });
    Object.keys(seen).sort().forEach(function (value) { select.add(new Option(value, value)); });
    select.addEventListener("change", function () { chosen[head] = select.value; write(); show(); });
    selects[head] = select; label.append(head + " ", select); form.append(label);
  });
  var all = document.createElement("button");
  all.type = "reset"; all.textContent = "Show all"; form.append(all, said);
  form.addEventListener("reset", function (event) { event.preventDefault(); chosen = {}; write(); show(); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  window.addEventListener("hashchange", function () { read(); show(); });
  document.getElementById("index").before(form);
  read(); show();
}());

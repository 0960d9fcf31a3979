"""Mutants of the library: what would a wrong line of it get past the claims, and past the tests?

``python -m tools.mutants --help`` says how it is run.  It is a tool of its own, since two that are well kept do not
fit:

- *mutmut* 3.8.1 forks one child for each mutant, as this does, but leaves out every decorated function that is no
  static or class method, and all code outside functions: here 1,007 of 4,478 functions are decorated, most public ones
  among them, and constants and defaults are half of what a bound is made of.  It takes all mutants of the functions
  that are named, and draws none.
- *cosmic-ray* 8.7.0 mutates everything, and nothing but everything: ``init`` on the 1,890 lines of
  ``theorytools/statistics`` lists 6,581 mutants, of which ours draws as many as it is told, by package and operator;
  it keeps those whose compiled code is that of the module, which nothing can notice.  For each it starts a command
  anew: pytest on 17 tests of that room takes 2.2 s of CPU time, so the room alone 4 hours; the fork of a process
  that has imported everything takes 0.1 s.
- Both learn from an exit status.  A claim says more than pass and fail: an outcome or a number that moved is a kill by
  a verdict, and must be told from a crash, which anything would notice; and claims are to be asked before tests.

A draw is stratified and a function of a seed (``drawing``, ``operators``); the claims that run the changed line are
known from one traced run of all (``reach``), the tests by the names they use (``nearest``); a child of a process that
has imported the library exchanges the code of the changed function, or imports the library anew (``forks``,
``entering``), and judges (``judging``); ``record`` counts, and ``matrix`` asks every test that runs the line.
"""

"""From a table to a tree to trust: reading it, choosing a learner, cross-validation, and a report.

`fit` does all of it in one call. `training_table` reads files or tables in memory (`memory_table`),
`learners` makes estimators by name, `report` says what was found as text, `report_page` as a web page.
"""

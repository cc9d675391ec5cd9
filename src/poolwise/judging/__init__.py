"""Judging the documents of a plan, in the browser or at a terminal: `poolwise judge`.

`document_store`, `topic_texts` and `grade_scale` read what is shown; `plan.judging_order` says what comes next,
`sharing` for whom; `event_store` keeps what was pressed, `judging` works out where everybody stands; `serving`, `guard`
and the folder `page` show it in a browser, `terminal_twin` at a terminal. May import: all stations up to study.
"""

"""The documents of a plan judged by people, in the browser: `poolwise judge`.

`documents`, `topic_texts` and `work` read the texts, `sharing` deals documents to people, `events` stores each label,
`judging` computes the state of the work; `web`, `guard` and the folder `page` show it. May import: campaign and below.
"""

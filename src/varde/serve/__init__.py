"""A selection over HTTP: ``varde serve`` is the server, ``varde.Selector("http://...")`` the client.

run.py           the socket, the token, uvicorn          (needs varde[serve])
app.py           the routes; answers.py: what each does
guard.py         access: tokens, hosts, other sites, headers
bodies.py        reading requests: size, JSON, fields
once.py          a request sent twice is carried out once
group_commit.py  requests that share a wait for the disk
operations.py    every operation and its fields; openapi.py: as OpenAPI
live.py          the page for people; history.py: how intervals narrowed; pages.py, live.js, live.css
client.py        Remote, the Selector of a client (needs no extra)
"""

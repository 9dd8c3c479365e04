"""A selection over HTTP: ``varde serve`` on one side, ``varde.Selector("http://...")`` on the other.

run.py         the socket, the token, uvicorn          (needs varde[serve])
app.py         the routes; answers.py: what each does
guard.py       who may: tokens, hosts, other sites, headers
bodies.py      what came: size, JSON, fields
once.py        a request that is sent twice is done once
turns.py       requests that share a wait for the disk
operations.py  every operation and its fields; openapi.py: as OpenAPI
live.py        the page for people; history.py: how intervals narrowed; pages.py, live.js, live.css
client.py      Remote, the Selector on the other side (needs nothing)
"""

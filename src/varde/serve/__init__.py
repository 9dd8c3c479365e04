"""``varde serve``: a live page of a store, for people.  It only reads: nothing on it changes or delays a selection.

run.py    the token, the socket, uvicorn
app.py    who may look, and the routes   (needs varde[serve])
live.py   the page as of now, made once for all who look; live.js and live.css: its script and style
"""

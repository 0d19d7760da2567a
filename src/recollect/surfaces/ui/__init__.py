"""
The dashboard of `recollect ui`: pages for a person, and the same answers as JSON for programs.

A thin skin: a request is read (`call.py`), one function of `screens` asks the API, a template or the JSON form of the
command line shows the answer. Nothing is decided here. Only `serve.py` knows the network, only `guard.py` who may ask.
"""

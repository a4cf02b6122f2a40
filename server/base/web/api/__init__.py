"""The HTTP interface below `/api/`: public data as JSON, for pages, programs and researchers.

`server/HTTP.md` explains it, and `/api/openapi.json` describes it formally. Each wing defines the
types of its answers, its handlers and its routes; `server.routes` lists all of them, and `app`
serves them. `document` builds `openapi.json` from these, and `server.base.generate` the client's
types.

Times are Unix milliseconds on the server's clock, unless documented as durations. Days are UTC
days: `day` counts them from 1970-01-01, and `date` is the same day in ISO 8601.
"""

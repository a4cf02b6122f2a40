"""The HTTP interface below `/api/`: public data as JSON, for pages, programs and researchers.

`server/HTTP.md` explains it, and `openapi.json` describes it formally. Each wing has the types of
its answers, its handlers and its routes; `server.routes` lists all of them, and `app` serves them.
Generated from these are `openapi.json` and `client_js/src/apiTypes.ts`.

Times are Unix milliseconds on the server's clock, unless they are said to be durations. Days are
UTC days: `day` counts them from 1970-01-01, and `date` is the same day in ISO 8601.
"""

"""WebSockets, messages, HTTP and the page; no other package imports websockets or msgpack."""

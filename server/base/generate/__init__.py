"""What is generated from the messages and the HTTP interface."""

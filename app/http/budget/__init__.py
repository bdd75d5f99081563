"""What a request holds while it is worked on: memory, time and threads, bounded for all of them together."""

"""A server in the real wire format whose answers and biases are known."""

"""What tools answer: frozen dataclasses that say the same in text and in JSON."""

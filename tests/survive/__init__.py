"""What must be survived, at length: `make survive`. The unit suite has the quick versions."""

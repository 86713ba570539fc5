"""What has to hold within and between the files of a catalogue, beyond their shape."""

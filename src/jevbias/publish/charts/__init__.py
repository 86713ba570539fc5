"""Pictures of a report as inline SVG: each module computes one, its template writes the coordinates down."""

"""What a server does that its documents do not say: asked, stored, and written up."""

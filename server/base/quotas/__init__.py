"""What each address may have stored."""

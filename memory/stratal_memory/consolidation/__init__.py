"""Sleep: what was said settles into what is known; every run can be previewed and taken back."""

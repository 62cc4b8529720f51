"""The timer: jobs on a schedule, one effect a user and due time, shared by many workers."""

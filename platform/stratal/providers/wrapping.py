"""A provider around another one."""

from stratal.providers.provider import Provider


class Wrapping:
    """What every provider around another has of it: its name, itself, and its end."""

    def __init__(self, inner: Provider) -> None:
        self._inner = inner

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inner!r})"

    @property
    def name(self) -> str:
        """The inner provider's."""
        return self._inner.name

    @property
    def inner(self) -> Provider:
        """The provider that is asked."""
        return self._inner

    def close(self) -> None:
        """Closes the inner provider."""
        self._inner.close()

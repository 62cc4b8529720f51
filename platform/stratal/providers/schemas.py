"""The parameters of a tool as providers take them."""

import json

from stratal.context.request import ToolSpec
from stratal.errors import InvalidRequest


def schema_of(tool: ToolSpec) -> dict[str, object]:
    """The JSON Schema of a tool's arguments; `InvalidRequest` when it is not an object."""
    schema: object = json.loads(tool.schema)
    if not isinstance(schema, dict):
        raise InvalidRequest(
            f"the schema of tool {tool.name} is not a JSON object",
            hint="Register the tool again with a schema of type object.",
        )
    return {str(key): item for key, item in schema.items()}

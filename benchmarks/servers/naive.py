"""What one writes first: FastAPI, a pydantic model and NumPy. `naive.py PORT`."""

import sys

import numpy as np
import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel


class Matrix(BaseModel):
    """A body in JSON."""

    values: list[list[float]]


app = FastAPI()


@app.post("/json")
def from_json(matrix: Matrix) -> list[float]:
    """The minimum of every row."""
    rows = np.array(matrix.values, np.float32)
    return rows.min(axis=1).tolist()  # type: ignore[no-any-return]


@app.post("/binary")
async def from_binary(request: Request, columns: int) -> Response:
    """The minimum of every row of float32 elements, `columns` to a row."""
    rows = np.frombuffer(await request.body(), np.float32).reshape(-1, columns)
    return Response(rows.min(axis=1).tobytes(), media_type="application/octet-stream")


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning")

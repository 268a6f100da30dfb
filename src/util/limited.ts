/** Yields pieces up to a number of bytes in all; the last one is cut. */
export async function* limited(pieces: AsyncGenerator<Uint8Array>, limit = Infinity): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const piece of pieces) {
    yield piece.length > left ? piece.subarray(0, left) : piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}

/**
 * Keeps the process until `work`, its start or its end, is done: no timer of ours does, so one that only waits, for the
 * next try to reach an etcd, would end without a word.
 */
export async function awake<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 1 << 30);
  try {
    return await work;
  } finally {
    clearInterval(hold);
  }
}

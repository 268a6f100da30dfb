/**
 * Keeps the process alive until `work` is done. The timers of the clock do not, so a process that waits for its next attempt to
 * connect to etcd would exit.
 */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 1 << 30);
  try {
    return await work;
  } finally {
    clearInterval(hold);
  }
}

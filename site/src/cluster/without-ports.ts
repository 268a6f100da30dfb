/** What stands for the ports of a server in a page, which has none. */
export const listen = (): Promise<never> => Promise.reject(new Error("expected no port in a page"));

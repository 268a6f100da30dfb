import { type TextResponse, TooLongError } from "../ask-server.ts";
import { type Check, warn } from "../doctor/check.ts";
import { type Definition, StoredVersions } from "./judge.ts";

/** The paths of definitions in the two dialects. */
const PATHS = ["k8s.io", "svc.io"].map((domain) => `/apis/apiextensions.${domain}/v1/customresourcedefinitions`);

/** The number of definitions in a page; it is halved where a response is too long. */
const PAGE_SIZE = 64;

/**
 * Checks the stored versions of all definitions of a server. They are read in pages, since a schema may have a megabyte; of a page only
 * the findings are kept.
 *
 * @param ask sends a GET request; it rejects with a {@link TooLongError} as the cause where the response is too long
 */
export async function storedVersionsOf(ask: (path: string) => Promise<TextResponse>): Promise<Check> {
  const found = new StoredVersions();
  const paths = [...PATHS];
  let limit = PAGE_SIZE;
  let next: string | undefined = "";
  while (next !== undefined) {
    const query: string = next === "" ? `limit=${limit}` : `limit=${limit}&continue=${encodeURIComponent(next)}`;
    const response = await ask(`${paths[0]}?${query}`).catch((error: unknown) => {
      if (limit === 1 || !(error instanceof Error && error.cause instanceof TooLongError)) throw error;
      return undefined;
    });
    if (response === undefined) {
      limit = Math.floor(limit / 2);
    } else if (response.status === 404 && paths.length > 1) {
      paths.shift();
    } else if (response.status === 200) {
      const page = JSON.parse(response.text) as {
        readonly metadata?: { readonly continue?: string };
        readonly items: readonly Definition[];
      };
      for (const definition of page.items) found.add(definition);
      next = page.metadata?.continue || undefined;
    } else {
      const advice = [401, 403].includes(response.status) ? "use the admin's kubeconfig" : "run it again";
      return warn("stored versions", `the server responded with ${response.status}`, advice);
    }
  }
  return found.check();
}

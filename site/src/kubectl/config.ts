/**
 * `kubectl config`: the one context of a page, and the namespace of its commands.
 *
 * @module
 */
import { Failure } from "./api.ts";
import { type Command, NAMESPACE_VARIABLE } from "./context.ts";
import { alignedRows, yamlText } from "./print.ts";

const NAME = "page";

/** Runs `kubectl config`. */
export function config({ flags, streams }: Command): Promise<number> {
  const [what = "", name] = flags.words;
  const { variables } = streams.shell;
  const namespace = variables.get(NAMESPACE_VARIABLE);
  if (name !== undefined && name !== NAME) throw new Failure(`error: no context exists with the name: "${name}"`);
  if (what === "current-context") streams.out(`${NAME}\n`);
  else if (what === "use-context" && name !== undefined) streams.out(`Switched to context "${NAME}".\n`);
  else if (what === "get-contexts") {
    const titles = ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"];
    streams.out(alignedRows([titles, ["*", NAME, NAME, "admin", namespace ?? ""]]));
  } else if (what === "view") {
    const context = { cluster: NAME, user: "admin", ...(namespace === undefined ? {} : { namespace }) };
    streams.out(
      yamlText({
        apiVersion: "v1",
        clusters: [],
        contexts: [{ context, name: NAME }],
        "current-context": NAME,
        kind: "Config",
        users: [],
      }),
    );
  } else if (what === "set-context" && (name === NAME || flags.on("current"))) {
    const wanted = flags.get("namespace");
    if (wanted !== undefined) variables.set(NAMESPACE_VARIABLE, wanted);
    streams.out(`Context "${NAME}" modified.\n`);
  } else {
    throw new Failure(
      `error: expected current-context, get-contexts, view, or set-context --current --namespace=NAME, got config ${flags.words.join(" ")}`,
    );
  }
  return Promise.resolve(0);
}

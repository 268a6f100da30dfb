import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIGMAPS, ask } from "./load.ts";

const EXECUTABLE = fileURLToPath(new URL("../../bin/keelson.js", import.meta.url));
/** The token of the admin. */
export const ADMIN = "admin-token-of-the-bench";

/** A server that runs. */
interface Server extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly ca: string;
}

/** Starts the executable with a token for each of some users, who may do what they want with objects of a namespace. */
export async function serve(users: readonly string[]): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-bench-floods-"));
  const tokens = join(directory, "tokens.csv");
  const lines = [`${ADMIN},admin,0,"system:masters"`, ...users.map((user, i) => `${user},${user},${i + 1},editors`)];
  writeFileSync(tokens, `${lines.join("\n")}\n`, { mode: 0o600 });
  const data = join(directory, "data");
  const args = ["serve", "--dialect", "kubernetes", "--data-dir", data, "--port", "0", "--token-auth-file", tokens];
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
  while (!printed.includes("ready in")) await once(child.stdout, "data");
  return {
    pid: child.pid!,
    url: /^listening on (.*)$/m.exec(printed)![1]!,
    ca: readFileSync(join(data, "pki", "ca.crt"), "utf8"),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "close");
      rmSync(directory, { recursive: true });
    },
  };
}

/** Makes objects, and lets the users change them. */
export async function fill({ url, ca }: Server, objects: number): Promise<void> {
  const session = connect(url, { ca });
  const post = async (path: string, object: object): Promise<void> => {
    const type = "application/json";
    const code = await ask(session, ADMIN, { path, method: "POST", body: JSON.stringify(object), type });
    if (code !== 201) throw new Error(`expected ${path} to take an object, got ${code}`);
  };
  await post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
    metadata: { name: "editors" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "editors" }],
  });
  for (let i = 0; i < objects; i += 100) {
    const some = Array.from({ length: Math.min(100, objects - i) }, (_, at) =>
      post(CONFIGMAPS, { metadata: { name: `c-${i + at}` }, data: { pad: "x".repeat(900) } }),
    );
    await Promise.all(some);
  }
  session.destroy();
}

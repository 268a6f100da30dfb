/**
 * Keelson as a server that worlds are asked of: in this process, in memory, with roles alone.
 *
 * @module
 */
import { authorizerOf } from "../../src/auth/authorizer.ts";
import { type ClusterParts, createCluster } from "../../src/cluster/index.ts";
import { ADMIN } from "../../src/auth/admin.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { type Server, build } from "./answers.ts";
import type { Asked, World } from "./world.ts";

/** Opens an empty server, or one over what a store has. */
export async function openOurs(more: Partial<ClusterParts> = {}): Promise<Server & AsyncDisposable> {
  const store = more.store ?? (await openMemoryStore());
  const cluster = await createCluster({
    store,
    dialect: kubernetes,
    plugins: kitPlugins(),
    authorizer: authorizerOf(["RBAC"]),
    ...more,
  });
  await cluster.makeRoles();
  return {
    async send(method, url, body, by, headers) {
      const answer = await cluster.server.inject({
        method,
        url,
        headers: { "content-type": "application/json", ...headers },
        identity: by ?? ADMIN,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { code: answer.code, body: (await answer.bytes()).toString() };
    },
    async [Symbol.asyncDispose]() {
      await cluster.close();
      if (!more.store) await store.close();
    },
  };
}

/** The reason that each binding of a world would be, if it were the only one. */
export async function reasonsAlone(world: World, question: Asked): Promise<readonly string[]> {
  const isBinding = (path: string): boolean => path.endsWith("bindings");
  const roles = world.objects.filter(({ path }) => !isBinding(path));
  const reasons: string[] = [];
  for (const binding of world.objects.filter(({ path }) => isBinding(path))) {
    await using server = await openOurs();
    await build(server, { ...world, objects: [...roles, binding] });
    const { body } = await server.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: question,
    });
    reasons.push((JSON.parse(body) as { status: { reason?: string } }).status.reason ?? "");
  }
  return reasons;
}

/**
 * The volume plugins of a node, in their order.
 *
 * @module
 */
import type { PluginContext, VolumePlugin } from "./contract.ts";
import { csiPlugin } from "./csi/index.ts";
import { applyGroup } from "./ownership/apply-group.ts";
import { type PlainOptions, plainPlugins, withMigratedVolumes } from "./plain/index.ts";
import { TokenKeeper } from "./tokens.ts";
import { WrittenVolumes } from "./written/plugin.ts";

/** Settings of the plugins. */
export interface PluginOptions extends PlainOptions {
  /** Whether the node has SELinux (NODE-43). Default false. */
  readonly hasSELinux?: boolean;
}

/** Opens the plugins of an agent; those that need tokens of Pods share them. */
export async function openPlugins(
  context: PluginContext,
  { hasSELinux = false, ...options }: PluginOptions = {},
): Promise<readonly VolumePlugin[]> {
  const tokens = new TokenKeeper({
    ...context,
    lookAt: (podUid) => context.lookAt(podUid),
    failed: (error, { metadata }) =>
      context.log.warn("a token of a Pod was not renewed", { pod: metadata.name, error: String(error) }, metadata.uid),
  });
  const drivers = withMigratedVolumes(csiPlugin({ tokens, applyGroup, hasSELinux }));
  const plugins: VolumePlugin[] = [new WrittenVolumes(context, { tokens })];
  try {
    for (const maker of [drivers, ...plainPlugins(options)]) plugins.push(await maker(context));
    return plugins;
  } catch (error) {
    await Promise.allSettled(plugins.map(async (plugin) => plugin.close?.()));
    throw error;
  }
}

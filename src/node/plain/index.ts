/**
 * Plugins of plain volumes: directories, mounts and devices of the machine, and refusals of other kinds.
 *
 * @module
 */
import type { PluginMaker } from "../contract.ts";
import { emptyDirPlugin } from "./empty-dir.ts";
import { fibreChannelPlugin } from "./fibre-channel.ts";
import { type PlainOptions, plainContext } from "./plain-context.ts";
import { hostPathPlugin } from "./host-path.ts";
import { imagePlugin } from "./image.ts";
import { iscsiPlugin } from "./iscsi.ts";
import { localPlugin } from "./local.ts";
import { refusedPlugin } from "./refused.ts";
import { sharePlugins } from "./shares.ts";

export type { PlainOptions } from "./plain-context.ts";
export { withMigratedVolumes } from "./migrated.ts";

/** Factories of the plain volume plugins. The last one refuses volumes that no other plugin sets up. */
export const plainPlugins = (options: PlainOptions = {}): PluginMaker[] =>
  [
    emptyDirPlugin,
    hostPathPlugin,
    localPlugin,
    ...sharePlugins,
    iscsiPlugin,
    fibreChannelPlugin,
    (context: ReturnType<typeof plainContext>) => imagePlugin(context, options.imageDirectory),
    refusedPlugin,
  ].map((maker) => (context) => maker(plainContext(context, options)));

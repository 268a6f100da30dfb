/**
 * Parts of the page that open over or beside the view.
 *
 * @module
 */
import { signal, type Signal } from "@preact/signals";

/** Whether the command bar is open, and with which text it began. */
export const commandBar: Signal<string | undefined> = signal(undefined);

/** Whether the help is open. */
export const help: Signal<boolean> = signal(false);

/** Whether the list of kinds is open over the view, on a narrow screen. */
export const drawer: Signal<boolean> = signal(false);

/** Whether the strip is open that chooses the moment. */
export const timeStrip: Signal<boolean> = signal(false);

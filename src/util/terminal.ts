/** A colour or style of a terminal. */
export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Paints a text; a painter without colours returns it unchanged. */
export type Painter = (colour: Colour, text: string) => string;

/** Replaces control characters, which could move the cursor or change the terminal: texts may come from other users. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\uFFFD");

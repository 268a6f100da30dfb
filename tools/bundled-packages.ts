/** Packages that become a part of the program; others are looked for when they are needed. */
export const BUNDLED_PACKAGES = ["commander", "jose", "re2js", "yaml"];

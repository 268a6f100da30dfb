// A chain has a few blocks; a value made of nothing but beginnings must not cost a search to the end for each.
const MOST_BLOCKS = 20;

/** Whether base64 bytes hold a block of PEM, among the first twenty, whose label fits. */
function holdsBlock(base64: string, label: RegExp): boolean {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const begin = /-----BEGIN ([A-Z0-9 ]+)-----/g;
  for (let i = 0; i < MOST_BLOCKS; i++) {
    const match = begin.exec(text);
    if (!match) return false;
    const name = match[1]!;
    if (label.test(name) && text.includes(`-----END ${name}-----`, match.index)) return true;
  }
  return false;
}

/** Whether base64 bytes hold a block of PEM that says it is a certificate. */
export const looksLikeCertificate = (base64: string): boolean => holdsBlock(base64, /^CERTIFICATE$/);

/** Whether base64 bytes hold a block of PEM that says it is a private key. */
export const looksLikeKey = (base64: string): boolean => holdsBlock(base64, /PRIVATE KEY$/);

/** Takes `registry:5000/path/name:tag@digest` apart; a part that is not there is empty. */
export function splitImage(image: string): { name: string; tag: string; digest: string } {
  const [rest = "", digest = ""] = image.split("@");
  const colon = rest.indexOf(":", rest.lastIndexOf("/") + 1);
  return colon < 0
    ? { name: rest, tag: "", digest }
    : { name: rest.slice(0, colon), tag: rest.slice(colon + 1), digest };
}

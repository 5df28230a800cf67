import { format } from "oxfmt";

/**
 * A generated text as `npm run format` leaves it.
 *
 * @param name - a file name, whose ending says the language
 */
export async function formatted(name: string, text: string): Promise<string> {
  const { code, errors } = await format(name, text, { printWidth: 100 });
  if (errors.length > 0)
    throw new Error(`${name} cannot be formatted: ${errors[0]?.message ?? ""}`);
  return code;
}

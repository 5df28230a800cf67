/**
 * Capital letters at the beginning of words.
 *
 * @module
 */

/** The text with its first letter as a capital. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Capital letters at the beginning of words. */

/** The text with its first letter as a capital. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A long name that may be broken between its parts, and not within them. */
import { Fragment, type JSX } from "preact";

/** Breaks texts such as `spec.containers[name=web].image` and `tokenreviews.authentication.k8s.io`. */
export function Breakable({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text.split(/(?<=[.\]/])/).map((part, place) => (
        <Fragment key={place}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  );
}

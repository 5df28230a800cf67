/** The credentials of another thread, from their recipe. */
import type { Clock } from "../../../clock.ts";
import { CertificateFiles } from "./certificate-files.ts";
import {
  combinedCredentials,
  fixedCredentials,
  type CredentialRecipe,
  type CredentialSource,
} from "./credentials.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { TokenFile } from "./token-file.ts";

export function credentialsFrom(recipe: CredentialRecipe, clock: Clock): CredentialSource {
  switch (recipe.kind) {
    case "fixed":
      return fixedCredentials(recipe.credentials);
    case "token-file":
      return new TokenFile(recipe.path, clock, recipe.token);
    case "certificate-files":
      return new CertificateFiles(recipe.files, clock);
    case "combined":
      return combinedCredentials(recipe.parts.map((part) => credentialsFrom(part, clock)));
    case "exec":
      return new ExecCredentials(recipe.config, clock, recipe.environment);
  }
}

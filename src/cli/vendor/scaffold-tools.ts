/**
 * The libraries of the scaffold, behind one door.
 *
 * The development dependencies of the scaffold: `npm run build` bundles this file with them, so
 * that a user's installation does not get their three hundred packages. Nothing else imports them.
 */
export { default as Handlebars } from "handlebars";
export { create as createEditor } from "mem-fs-editor";
export { commitSharedFsTask, createEnv } from "yeoman-environment";

/** Of `npm run simulate`. */
export default { test: { include: ["test/**/*.simulation.ts"] } };

// The build's version, put in by the build from package.json.
declare const BIPE_VERSION: string

export const VERSION = BIPE_VERSION

/** Of the package; told in `hello` and as the scope's version of every export. */
export const VERSION = '0.1.0'

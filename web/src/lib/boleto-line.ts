// The digitable line of a boleto as it is printed. Apart from `boleto.ts`: whoever shows it alone draws no bars.

/** In its printed groups: `00000.00000 00000.000000 00000.000000 0 00000000000000`. */
export function formatLine(line: string): string {
  return line
    .replace(/\D/g, '')
    .replace(/^(\d{5})(\d{5})(\d{5})(\d{6})(\d{5})(\d{6})(\d)(\d{14})$/, '$1.$2 $3.$4 $5.$6 $7 $8')
}

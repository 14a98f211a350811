// A QR code, its own chunk: loaded by the screens that show one. Always black on white with its quiet zone, also in the
// dark theme. Where there is less room than its size, as on a magnified phone, it is smaller: a half is no code.
import { QRCodeSVG } from 'qrcode.react'

interface QrCodeProps {
  value: string
  /** Pixels, with the quiet zone. */
  size: number
  /** For assistive technology. */
  title: string
}

export default function QrCode(props: QrCodeProps) {
  return (
    <div className="rounded-control bg-paper p-1">
      <QRCodeSVG
        level="M"
        marginSize={4}
        bgColor="#FFFFFF"
        fgColor="#000000"
        className="h-auto max-w-full"
        {...props}
      />
    </div>
  )
}

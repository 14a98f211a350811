// The QR code of a PIX payment, its own chunk. Always black on white with its quiet zone, also in the dark theme.
import { QRCodeSVG } from 'qrcode.react'

export default function PixQr({ code }: { code: string }) {
  return (
    <div className="rounded-control bg-paper p-1">
      <QRCodeSVG
        value={code}
        size={240}
        level="M"
        marginSize={4}
        bgColor="#FFFFFF"
        fgColor="#000000"
        title="QR Code do PIX"
      />
    </div>
  )
}

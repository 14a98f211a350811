// The QR code of an authenticator app's secret, its own chunk. Always black on white with its quiet zone.
import { QRCodeSVG } from 'qrcode.react'

export default function SecretQr({ uri }: { uri: string }) {
  return (
    <div className="rounded-control bg-paper p-1">
      <QRCodeSVG
        value={uri}
        size={192}
        level="M"
        marginSize={4}
        bgColor="#FFFFFF"
        fgColor="#000000"
        title="QR Code do aplicativo autenticador"
      />
    </div>
  )
}

// attn scratchpad: O = softmax(QK^T/sqrt(d))V, layouts [B*H, S, D]
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_fp16.h>
#include <mma.h>
#define OK(x) do{auto e=(x); if(e){printf("L%d %s\n",__LINE__,cudaGetErrorString(e)); return 1;}}while(0)

__device__ __forceinline__ float wsum(float v){ for(int o=16;o;o>>=1) v+=__shfl_xor_sync(~0u,v,o); return v; }
__device__ __forceinline__ float wmax(float v){ for(int o=16;o;o>>=1) v=fmaxf(v,__shfl_xor_sync(~0u,v,o)); return v; }

// --- unfused reference path
__global__ void qk_scores(const float*Q,const float*K,float*P,int S,int D,float sc){
  __shared__ float q[16][17],k[16][17];
  int bh=blockIdx.z,i=blockIdx.y*16+threadIdx.y,j0=blockIdx.x*16,tx=threadIdx.x,ty=threadIdx.y;
  const float*Qb=Q+(size_t)bh*S*D,*Kb=K+(size_t)bh*S*D; float a=0;
  for(int d=0;d<D;d+=16){
    q[ty][tx]=Qb[i*D+d+tx]; k[ty][tx]=Kb[(j0+ty)*D+d+tx]; __syncthreads();
    #pragma unroll
    for(int t=0;t<16;t++) a+=q[ty][t]*k[tx][t];
    __syncthreads();
  }
  P[((size_t)bh*S+i)*S+j0+tx]=a*sc;
}
__global__ void softmax_rows(float*P,int S){           // one block per row
  float*p=P+(size_t)blockIdx.x*S; __shared__ float red[32]; int w=threadIdx.x>>5,l=threadIdx.x&31,nw=blockDim.x>>5;
  float m=-INFINITY; for(int j=threadIdx.x;j<S;j+=blockDim.x) m=fmaxf(m,p[j]);
  m=wmax(m); if(!l) red[w]=m; __syncthreads(); m=wmax(l<nw?red[l]:-INFINITY); __syncthreads();
  float s=0; for(int j=threadIdx.x;j<S;j+=blockDim.x){ float e=__expf(p[j]-m); p[j]=e; s+=e; }
  s=wsum(s); if(!l) red[w]=s; __syncthreads(); s=wsum(l<nw?red[l]:0.f);
  for(int j=threadIdx.x;j<S;j+=blockDim.x) p[j]/=s;
}
__global__ void pv(const float*P,const float*V,float*O,int S,int D){ // blockDim (D,4)
  int bh=blockIdx.y,i=blockIdx.x*4+threadIdx.y,d=threadIdx.x; const float*p=P+((size_t)bh*S+i)*S,*v=V+(size_t)bh*S*D;
  float a=0; for(int j=0;j<S;j++) a+=p[j]*v[j*D+d]; O[((size_t)bh*S+i)*D+d]=a;
}

// --- flash, one thread owns one query row, K/V tiles broadcast from smem
template<int D,int BC,bool CAUSAL> __global__ void flash_row(const float*__restrict__ Q,const float*__restrict__ K,
    const float*__restrict__ V,float*__restrict__ O,int S,float sc){
  __shared__ float ks[BC][D],vs[BC][D];
  int i=blockIdx.x*blockDim.x+threadIdx.x; size_t base=(size_t)blockIdx.y*S*D;
  float q[D],o[D],m=-INFINITY,l=0;
  #pragma unroll
  for(int d=0;d<D;d++){ q[d]=Q[base+(size_t)i*D+d]*sc; o[d]=0; }
  int jend=CAUSAL?min(S,(int)((blockIdx.x+1)*blockDim.x)):S;
  for(int j0=0;j0<jend;j0+=BC){
    __syncthreads();
    for(int t=threadIdx.x;t<BC*D/4;t+=blockDim.x){
      ((float4*)&ks[0][0])[t]=((const float4*)(K+base+(size_t)j0*D))[t];
      ((float4*)&vs[0][0])[t]=((const float4*)(V+base+(size_t)j0*D))[t]; }
    __syncthreads();
    for(int j=0;j<BC;j++){
      if(CAUSAL && j0+j>i) break;
      float s=0;
      #pragma unroll
      for(int d=0;d<D;d++) s+=q[d]*ks[j][d];
      float mn=fmaxf(m,s),c=__expf(m-mn),p=__expf(s-mn); l=l*c+p; m=mn;
      #pragma unroll
      for(int d=0;d<D;d++) o[d]=o[d]*c+p*vs[j][d];
    }
  }
  float r=1.f/l;
  #pragma unroll
  for(int d=0;d<D;d++) O[base+(size_t)i*D+d]=o[d]*r;
}

// --- flash, warp per R query rows, lanes own keys for QK and dims for PV
template<int D,int R,int NW> __global__ void __launch_bounds__(NW*32) flash_warp(const float*__restrict__ Q,
    const float*__restrict__ K,const float*__restrict__ V,float*__restrict__ O,int S,float sc){
  extern __shared__ float sm[]; float*ks=sm,*vs=ks+32*(D+1),*qs=vs+32*D;
  int w=threadIdx.x/32,l=threadIdx.x%32,i0=(blockIdx.x*NW+w)*R; size_t base=(size_t)blockIdx.y*S*D;
  for(int t=l;t<R*D;t+=32) qs[w*R*D+t]=Q[base+(size_t)i0*D+t]*sc;
  float o[R][D/32]={},m[R],z[R]; for(int r=0;r<R;r++) m[r]=-INFINITY,z[r]=0;
  for(int j0=0;j0<S;j0+=32){
    __syncthreads();
    for(int t=threadIdx.x;t<32*D;t+=NW*32){ ks[(t/D)*(D+1)+t%D]=K[base+(size_t)j0*D+t]; vs[t]=V[base+(size_t)j0*D+t]; }
    __syncthreads();
    float s[R]={};
    for(int d=0;d<D;d++){ float kv=ks[l*(D+1)+d];
      #pragma unroll
      for(int r=0;r<R;r++) s[r]+=qs[(w*R+r)*D+d]*kv; }
    #pragma unroll
    for(int r=0;r<R;r++){
      float mn=fmaxf(m[r],wmax(s[r])),c=__expf(m[r]-mn),p=__expf(s[r]-mn);
      z[r]=z[r]*c+wsum(p); m[r]=mn; s[r]=p;
      #pragma unroll
      for(int e=0;e<D/32;e++) o[r][e]*=c;
    }
    for(int j=0;j<32;j++)
      #pragma unroll
      for(int r=0;r<R;r++){ float p=__shfl_sync(~0u,s[r],j);
        #pragma unroll
        for(int e=0;e<D/32;e++) o[r][e]+=p*vs[j*D+e*32+l]; }
  }
  for(int r=0;r<R;r++) for(int e=0;e<D/32;e++) O[base+(size_t)(i0+r)*D+e*32+l]=o[r][e]/z[r];
}

// --- half flash with wmma, 64 queries x 64 keys per step, 4 warps, D=64
template<bool CAUSAL> __global__ void __launch_bounds__(128) flash_wmma(const half*__restrict__ Q,const half*__restrict__ K,
    const half*__restrict__ V,half*__restrict__ O,int S,float sc){
  using namespace nvcuda::wmma; constexpr int D=64,L=72;
  extern __shared__ __align__(128) unsigned char raw[];
  half*q=(half*)raw,*k=q+64*L,*v=k+64*L,*p=v+64*L; float*s=(float*)(p+64*L),*o=s+64*L;
  int w=threadIdx.x/32,l=threadIdx.x%32,i0=blockIdx.x*64; size_t base=(size_t)blockIdx.y*S*D;
  for(int t=threadIdx.x;t<64*8;t+=128) *(uint4*)&q[(t/8)*L+t%8*8]=*(const uint4*)&Q[base+(size_t)(i0+t/8)*D+t%8*8];
  for(int t=threadIdx.x;t<64*L;t+=128) o[t]=0;
  float mr[16],zr[16]; for(int r=0;r<16;r++) mr[r]=-1e30f,zr[r]=0;
  int jend=CAUSAL?i0+64:S;
  for(int j0=0;j0<jend;j0+=64){
    __syncthreads();
    for(int t=threadIdx.x;t<64*8;t+=128){
      *(uint4*)&k[(t/8)*L+t%8*8]=*(const uint4*)&K[base+(size_t)(j0+t/8)*D+t%8*8];
      *(uint4*)&v[(t/8)*L+t%8*8]=*(const uint4*)&V[base+(size_t)(j0+t/8)*D+t%8*8]; }
    __syncthreads();
    fragment<matrix_a,16,16,16,half,row_major> a; fragment<accumulator,16,16,16,float> acc;
    for(int n=0;n<4;n++){ fill_fragment(acc,0.f);
      for(int kk=0;kk<4;kk++){ fragment<matrix_b,16,16,16,half,col_major> b;
        load_matrix_sync(a,q+w*16*L+kk*16,L); load_matrix_sync(b,k+n*16*L+kk*16,L); mma_sync(acc,a,b,acc); }
      store_matrix_sync(s+w*16*L+n*16,acc,L,mem_row_major); }
    __syncwarp();
    #pragma unroll
    for(int r=0;r<16;r++){ int row=w*16+r; float x=s[row*L+l]*sc,y=s[row*L+l+32]*sc;
      if(CAUSAL){ if(j0+l>i0+row) x=-1e30f; if(j0+l+32>i0+row) y=-1e30f; }
      float mn=fmaxf(mr[r],wmax(fmaxf(x,y))),c=__expf(mr[r]-mn); x=__expf(x-mn); y=__expf(y-mn);
      zr[r]=zr[r]*c+wsum(x+y); mr[r]=mn; p[row*L+l]=__float2half(x); p[row*L+l+32]=__float2half(y);
      o[row*L+l]*=c; o[row*L+l+32]*=c; }
    __syncwarp();
    for(int n=0;n<4;n++){ load_matrix_sync(acc,o+w*16*L+n*16,L,mem_row_major);
      for(int kk=0;kk<4;kk++){ fragment<matrix_b,16,16,16,half,row_major> b;
        load_matrix_sync(a,p+w*16*L+kk*16,L); load_matrix_sync(b,v+kk*16*L+n*16,L); mma_sync(acc,a,b,acc); }
      store_matrix_sync(o+w*16*L+n*16,acc,L,mem_row_major); }
  }
  __syncwarp();
  #pragma unroll
  for(int r=0;r<16;r++){ int row=w*16+r; float iz=1.f/zr[r];
    ((half2*)O)[(base+(size_t)(i0+row)*D)/2+l]=__floats2half2_rn(o[row*L+2*l]*iz,o[row*L+2*l+1]*iz); }
}

// --- decode: one query per (b,h), KV split over blockIdx.x. VPT halfs of the head per lane (D=32*VPT)
template<int VPT,int NW> __global__ void decode_split(const half*__restrict__ q,const half*__restrict__ K,const half*__restrict__ V,
    float*__restrict__ po,float2*__restrict__ ml,int S,int chunk,int group,float sc){
  constexpr int D=32*VPT; int h=blockIdx.y,kvh=h/group,w=threadIdx.x/32,l=threadIdx.x%32,ns=gridDim.x;
  float qr[VPT],o[VPT]={},m=-1e30f,z=0; for(int e=0;e<VPT;e++) qr[e]=__half2float(q[h*D+l*VPT+e])*sc;
  int j1=min(S,(int)(blockIdx.x+1)*chunk);
  for(int j=blockIdx.x*chunk+w;j<j1;j+=NW){
    size_t off=((size_t)kvh*S+j)*D+l*VPT; float s=0; const half2*k2=(const half2*)(K+off),*v2=(const half2*)(V+off);
    #pragma unroll
    for(int e=0;e<VPT/2;e++){ float2 f=__half22float2(k2[e]); s+=f.x*qr[2*e]+f.y*qr[2*e+1]; }
    s=wsum(s); float mn=fmaxf(m,s),c=__expf(m-mn),p=__expf(s-mn); z=z*c+p; m=mn;
    #pragma unroll
    for(int e=0;e<VPT/2;e++){ float2 f=__half22float2(v2[e]); o[2*e]=o[2*e]*c+p*f.x; o[2*e+1]=o[2*e+1]*c+p*f.y; }
  }
  __shared__ float so[NW][D],sm_[NW],sz[NW];
  for(int e=0;e<VPT;e++) so[w][l*VPT+e]=o[e]; if(!l) sm_[w]=m,sz[w]=z; __syncthreads();
  float M=-1e30f,Z=0; for(int t=0;t<NW;t++) M=fmaxf(M,sm_[t]); for(int t=0;t<NW;t++) Z+=sz[t]*__expf(sm_[t]-M);
  for(int d=threadIdx.x;d<D;d+=NW*32){ float a=0; for(int t=0;t<NW;t++) a+=so[t][d]*__expf(sm_[t]-M); po[((size_t)h*ns+blockIdx.x)*D+d]=a; }
  if(!threadIdx.x) ml[h*ns+blockIdx.x]=make_float2(M,Z);
}
__global__ void decode_combine(const float*po,const float2*ml,half*out,int ns,int D){
  int h=blockIdx.x,d=threadIdx.x; float M=-1e30f,Z=0,a=0; for(int s=0;s<ns;s++) M=fmaxf(M,ml[h*ns+s].x);
  for(int s=0;s<ns;s++){ float2 t=ml[h*ns+s]; float c=__expf(t.x-M); Z+=t.y*c; a+=c*po[((size_t)h*ns+s)*D+d]; }
  out[h*D+d]=__float2half(a/Z);
}

int main(){
  const int BH=16,S=1024,D=64; const size_t n=(size_t)BH*S*D; const float sc=1.f/sqrtf(D);
  std::vector<float> hq(n),hk(n),hv(n); unsigned r=7; auto rnd=[&]{ r=r*1103515245u+12345u; return ((r>>9)&0xffff)/32768.f-1.f; };
  for(size_t i=0;i<n;i++) hq[i]=rnd(),hk[i]=rnd(),hv[i]=rnd();
  const int SK=8192,HK=16,HQ=64; size_t nkv=(size_t)HK*SK*128;            // decode cache, 32 MB each
  std::vector<half> kv(nkv); for(auto&x:kv) x=__float2half(rnd());
  float*q,*k,*v,*o,*o2,*P,*po; float2*ml; half*qh,*kh,*vh,*oh,*kc,*vc;
  for(float**p:{&q,&k,&v,&o,&o2}) OK(cudaMalloc(p,n*4)); for(half**p:{&qh,&kh,&vh,&oh}) OK(cudaMalloc(p,n*2));
  OK(cudaMalloc(&P,(size_t)BH*S*S*4)); OK(cudaMalloc(&kc,nkv*2)); OK(cudaMalloc(&vc,nkv*2)); OK(cudaMalloc(&po,(size_t)HQ*64*128*4)); OK(cudaMalloc(&ml,HQ*64*8));
  OK(cudaMemcpy(q,hq.data(),n*4,cudaMemcpyHostToDevice)); OK(cudaMemcpy(k,hk.data(),n*4,cudaMemcpyHostToDevice)); OK(cudaMemcpy(v,hv.data(),n*4,cudaMemcpyHostToDevice));
  std::vector<half> t(n); auto up=[&](half*d,std::vector<float>&s){ for(size_t i=0;i<n;i++) t[i]=__float2half(s[i]); return cudaMemcpy(d,t.data(),n*2,cudaMemcpyHostToDevice); };
  OK(up(qh,hq)); OK(up(kh,hk)); OK(up(vh,hv)); OK(cudaMemcpy(kc,kv.data(),nkv*2,cudaMemcpyHostToDevice)); OK(cudaMemcpy(vc,kv.data(),nkv*2,cudaMemcpyHostToDevice));

  qk_scores<<<dim3(S/16,S/16,BH),dim3(16,16)>>>(q,k,P,S,D,sc);
  softmax_rows<<<BH*S,256>>>(P,S);
  pv<<<dim3(S/4,BH),dim3(D,4)>>>(P,v,o,S,D);
  flash_row<64,32,false><<<dim3(S/64,BH),64>>>(q,k,v,o2,S,sc);
  flash_row<64,16,true><<<dim3(S/128,BH),128>>>(q,k,v,o2,S,sc);
  flash_row<32,64,false><<<dim3(S/128,BH*2),128>>>(q,k,v,o2,S,1.f/sqrtf(32));
  OK(cudaDeviceSynchronize());
  auto sb=[&](int d,int R,int NW){ return (32*(d+1)+32*d+R*NW*d)*4; };
  flash_warp<64,4,4><<<dim3(S/16,BH),128,sb(64,4,4)>>>(q,k,v,o2,S,sc);
  flash_warp<64,8,2><<<dim3(S/16,BH),64,sb(64,8,2)>>>(q,k,v,o2,S,sc);
  std::vector<float> a(n),b(n); OK(cudaMemcpy(a.data(),o,n*4,cudaMemcpyDeviceToHost)); OK(cudaMemcpy(b.data(),o2,n*4,cudaMemcpyDeviceToHost));
  double e=0; for(size_t i=0;i<n;i++) e=fmax(e,fabs(a[i]-b[i])); printf("fp32 flash vs unfused: %.2e\n",e);
  const int ws=64*72*(4*2+2*4);
  OK(cudaFuncSetAttribute(flash_wmma<false>,cudaFuncAttributeMaxDynamicSharedMemorySize,ws)); OK(cudaFuncSetAttribute(flash_wmma<true>,cudaFuncAttributeMaxDynamicSharedMemorySize,ws));
  flash_wmma<true><<<dim3(S/64,BH),128,ws>>>(qh,kh,vh,oh,S,sc);
  flash_wmma<false><<<dim3(S/64,BH),128,ws>>>(qh,kh,vh,oh,S,sc);
  OK(cudaDeviceSynchronize()); OK(cudaMemcpy(t.data(),oh,n*2,cudaMemcpyDeviceToHost));
  e=0; for(size_t i=0;i<n;i++) e=fmax(e,fabs(a[i]-__half2float(t[i]))); printf("half flash vs unfused: %.2e\n",e);
  const float sd=1.f/sqrtf(128);
  decode_split<4,8><<<dim3(1,HQ),256>>>(qh,kc,vc,po,ml,SK,SK,HQ/HK,sd);          // no split
  decode_split<4,8><<<dim3(16,HQ),256>>>(qh,kc,vc,po,ml,SK,SK/16,HQ/HK,sd);
  decode_split<4,4><<<dim3(64,HQ),128>>>(qh,kc,vc,po,ml,SK,SK/64,HQ/HK,sd);
  decode_combine<<<HQ,128>>>(po,ml,oh,64,128);
  OK(cudaGetLastError()); OK(cudaDeviceSynchronize()); puts("done"); return 0;
}

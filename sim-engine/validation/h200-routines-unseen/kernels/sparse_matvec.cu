// spmv playground: csr (scalar/vector/sub-warp/merge-ish), ell, coo, spmm, sddmm
#include <cstdio>
#include <vector>
#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
using std::vector;
#define CU(e) do{cudaError_t r_=(e); if(r_!=cudaSuccess){printf("%d: %s\n",__LINE__,cudaGetErrorString(r_)); std::exit(1);}}while(0)

struct Csr { int rows,cols,nnz; const int*ptr,*idx; const float*val; };

__global__ void csr_scalar(Csr A,const float*x,float*y){
  int r=blockIdx.x*blockDim.x+threadIdx.x; if(r>=A.rows) return;
  float s=0; for(int k=A.ptr[r];k<A.ptr[r+1];k++) s+=A.val[k]*x[A.idx[k]]; y[r]=s;
}
template<int VS> __global__ void csr_vector(Csr A,const float*__restrict__ x,float*__restrict__ y){ // VS lanes per row
  int r=(blockIdx.x*blockDim.x+threadIdx.x)/VS,l=threadIdx.x%VS; float s=0;
  if(r<A.rows) for(int k=__ldg(A.ptr+r)+l,e=__ldg(A.ptr+r+1);k<e;k+=VS) s+=__ldg(A.val+k)*__ldg(x+__ldg(A.idx+k));
  #pragma unroll
  for(int o=VS/2;o;o>>=1) s+=__shfl_down_sync(~0u,s,o,VS);
  if(r<A.rows&&!l) y[r]=s;
}
// dynamic row assignment: a warp grabs CH rows at a time
template<int CH> __global__ void csr_dynamic(Csr A,const float*__restrict__ x,float*__restrict__ y,int*next){
  int l=threadIdx.x&31;
  for(;;){
    int r0; if(!l) r0=atomicAdd(next,CH); r0=__shfl_sync(~0u,r0,0); if(r0>=A.rows) return;
    for(int r=r0;r<min(r0+CH,A.rows);r++){ float s=0; for(int k=A.ptr[r]+l;k<A.ptr[r+1];k+=32) s+=A.val[k]*x[A.idx[k]];
      for(int o=16;o;o>>=1) s+=__shfl_xor_sync(~0u,s,o); if(!l) y[r]=s; }
  }
}
// csr-stream: block stages NNZB products in smem then threads reduce rows. rb = row ranges per block
template<int NT,int NNZB> __global__ void csr_stream(Csr A,const float*__restrict__ x,float*__restrict__ y,const int*__restrict__ rb){
  __shared__ float p[NNZB]; int r0=rb[blockIdx.x],r1=rb[blockIdx.x+1],k0=A.ptr[r0],k1=A.ptr[r1];
  if(k1-k0<=NNZB){
    for(int k=threadIdx.x;k<k1-k0;k+=NT) p[k]=A.val[k0+k]*x[A.idx[k0+k]];
    __syncthreads();
    for(int r=r0+threadIdx.x;r<r1;r+=NT){ float s=0; for(int k=A.ptr[r]-k0;k<A.ptr[r+1]-k0;k++) s+=p[k]; y[r]=s; }
  } else { // single long row
    float s=0; for(int k=k0+threadIdx.x;k<k1;k+=NT) s+=A.val[k]*x[A.idx[k]];
    p[threadIdx.x]=s; __syncthreads();
    for(int o=NT/2;o;o>>=1){ if(threadIdx.x<o) p[threadIdx.x]+=p[threadIdx.x+o]; __syncthreads(); }
    if(!threadIdx.x) y[r0]=p[0];
  }
}
// ELL column-major, padding marked by idx<0
__global__ void ell_spmv(int rows,int width,const int*__restrict__ idx,const float*__restrict__ val,const float*__restrict__ x,float*__restrict__ y){
  int r=blockIdx.x*blockDim.x+threadIdx.x; if(r>=rows) return; float s=0;
  for(int k=0;k<width;k++){ int c=idx[(size_t)k*rows+r]; if(c<0) break; s+=val[(size_t)k*rows+r]*x[c]; } y[r]=s;
}
__global__ void coo_atomic(int nnz,const int*ri,const int*ci,const float*v,const float*x,float*y){
  int k=blockIdx.x*blockDim.x+threadIdx.x; if(k<nnz) atomicAdd(y+ri[k],v[k]*x[ci[k]]);
}
// sorted COO, warp segmented reduction before the atomic
__global__ void coo_segmented(int nnz,const int*__restrict__ ri,const int*__restrict__ ci,const float*__restrict__ v,const float*__restrict__ x,float*y){
  int l=threadIdx.x&31,st=gridDim.x*blockDim.x;
  for(int b=(blockIdx.x*blockDim.x+threadIdx.x)&~31;b<nnz;b+=st){
    int k=b+l,r=k<nnz?ri[k]:-1; float s=k<nnz?v[k]*x[ci[k]]:0.f;
    #pragma unroll
    for(int o=1;o<32;o<<=1){ float t=__shfl_up_sync(~0u,s,o); int q=__shfl_up_sync(~0u,r,o); if(l>=o&&q==r) s+=t; }
    int nr=__shfl_down_sync(~0u,r,1); if(r>=0&&(l==31||nr!=r)) atomicAdd(y+r,s);
  }
}
// SpMM Y[rows,N]=A*X[cols,N], row-major dense
__global__ void spmm_row_thread(Csr A,const float*X,float*Y,int N){ // blockDim (N or part of it, rows)
  int c=blockIdx.x*blockDim.x+threadIdx.x,r=blockIdx.y*blockDim.y+threadIdx.y; if(r>=A.rows||c>=N) return;
  float s=0; for(int k=A.ptr[r];k<A.ptr[r+1];k++) s+=A.val[k]*X[(size_t)A.idx[k]*N+c]; Y[(size_t)r*N+c]=s;
}
template<int N> __global__ void spmm_warp_vec4(Csr A,const float4*__restrict__ X,float4*__restrict__ Y){ // warp per row, nnz broadcast by shuffle
  constexpr int L=N/4,PER=L/32; int r=(blockIdx.x*blockDim.x+threadIdx.x)>>5,l=threadIdx.x&31; if(r>=A.rows) return;
  float4 s[PER]; for(int p=0;p<PER;p++) s[p]=make_float4(0,0,0,0);
  int e=A.ptr[r+1];
  for(int k0=A.ptr[r];k0<e;k0+=32){
    int ci=0; float cv=0; if(k0+l<e) ci=A.idx[k0+l],cv=A.val[k0+l]; int m=min(32,e-k0);
    for(int t=0;t<m;t++){ int c=__shfl_sync(~0u,ci,t); float a=__shfl_sync(~0u,cv,t);
      #pragma unroll
      for(int p=0;p<PER;p++){ float4 f=X[(size_t)c*L+p*32+l]; s[p].x+=a*f.x; s[p].y+=a*f.y; s[p].z+=a*f.z; s[p].w+=a*f.w; } }
  }
  for(int p=0;p<PER;p++) Y[(size_t)r*L+p*32+l]=s[p];
}
// SDDMM: out[k]=val[k]*dot(U[row],V[col])
template<int D> __global__ void sddmm(int nnz,const int*ri,const int*ci,const float*v,const float*U,const float*V,float*o){
  int k=(blockIdx.x*blockDim.x+threadIdx.x)/8,l=threadIdx.x%8; float s=0;
  if(k<nnz){ const float4*u=(const float4*)(U+(size_t)ri[k]*D),*w=(const float4*)(V+(size_t)ci[k]*D);
    #pragma unroll
    for(int d=l;d<D/4;d+=8){ float4 a=u[d],b=w[d]; s+=a.x*b.x+a.y*b.y+a.z*b.z+a.w*b.w; } }
  for(int i=4;i;i>>=1) s+=__shfl_xor_sync(~0u,s,i,8);
  if(k<nnz&&!l) o[k]=v[k]*s;
}

template<class T> T* up(const vector<T>&h){ T*d; CU(cudaMalloc(&d,h.size()*sizeof(T))); CU(cudaMemcpy(d,h.data(),h.size()*sizeof(T),cudaMemcpyHostToDevice)); return d; }

int main(){
  const int R=1<<17,W=24; unsigned s=31337; auto rnd=[&]{ s=s*1664525u+1013904223u; return s>>8; };
  // regular: 8..24 nnz near the diagonal.  skewed: power-law-ish lengths, random columns
  vector<int> p1(R+1),i1,e_i((size_t)R*W,-1),p2(R+1),i2,r2; vector<float> v1,v2,e_v((size_t)R*W,0.f);
  for(int r=0;r<R;r++){ int n=8+rnd()%(W-7); for(int k=0;k<n;k++){ int c=std::min(R-1,std::max(0,r+(int)(rnd()%512)-256)); float v=(rnd()&1023)/1024.f;
      i1.push_back(c); v1.push_back(v); e_i[(size_t)k*R+r]=c; e_v[(size_t)k*R+r]=v; } p1[r+1]=i1.size(); }
  for(int r=0;r<R;r++){ unsigned u=rnd()%1000; int n=u<700?1+rnd()%8:u<980?8+rnd()%40:u<999?100+rnd()%300:2000; for(int k=0;k<n;k++){ i2.push_back(rnd()%R); r2.push_back(r); v2.push_back((rnd()&1023)/1024.f); } p2[r+1]=i2.size(); }
  vector<int> rb{0}; const int NB=1024; for(int r=0;r<R;){ int q=r+1; while(q<R&&p2[q+1]-p2[r]<=NB&&q-r<256) q++; rb.push_back(q); r=q; }
  vector<float> x(R),X((size_t)R*64); for(auto&f:x) f=(rnd()&255)/256.f; for(auto&f:X) f=(rnd()&255)/256.f;
  Csr A{R,R,(int)i1.size(),up(p1),up(i1),up(v1)},B{R,R,(int)i2.size(),up(p2),up(i2),up(v2)};
  int*dr2=up(r2),*drb=up(rb),*dei=up(e_i),*next; float*dev=up(e_v),*dx=up(x),*dX=up(X),*y,*Y,*ov;
  CU(cudaMalloc(&y,R*4)); CU(cudaMalloc(&Y,(size_t)R*64*4)); CU(cudaMalloc(&ov,B.nnz*4ul)); CU(cudaMalloc(&next,4)); CU(cudaMemset(next,0,4));
  printf("regular nnz %d, skewed nnz %d, stream blocks %zu\n",A.nnz,B.nnz,rb.size()-1);

  csr_scalar<<<R/256,256>>>(A,dx,y);
  csr_scalar<<<R/128,128>>>(B,dx,y);
  csr_vector<8><<<R*8/256,256>>>(A,dx,y);
  csr_vector<32><<<R/4,128>>>(B,dx,y);
  csr_vector<4><<<R*4/512,512>>>(B,dx,y);
  csr_dynamic<4><<<132*8,256>>>(B,dx,y,next);
  csr_stream<128,NB><<<(int)rb.size()-1,128>>>(B,dx,y,drb);
  CU(cudaDeviceSynchronize());
  vector<float> h(R); CU(cudaMemcpy(h.data(),y,R*4,cudaMemcpyDeviceToHost)); double e=0;
  for(int r=0;r<R;r++){ double t=0; for(int k=p2[r];k<p2[r+1];k++) t+=(double)v2[k]*x[i2[k]]; e=std::max(e,fabs(t-h[r])/(1+t)); } printf("csr_stream rel err %.2e\n",e);
  ell_spmv<<<(R+191)/192,192>>>(R,W,dei,dev,dx,y);
  CU(cudaMemset(y,0,R*4));
  coo_atomic<<<(B.nnz+255)/256,256>>>(B.nnz,dr2,B.idx,B.val,dx,y);
  coo_segmented<<<132*6,256>>>(B.nnz,dr2,B.idx,B.val,dx,y);
  spmm_row_thread<<<dim3(1,R/8),dim3(32,8)>>>(A,dX,Y,32);
  spmm_row_thread<<<dim3(4,R/16),dim3(16,16)>>>(B,dX,Y,64);
  { Csr H=A; H.rows=R/2; // X viewed as [R/2][128]: keep columns inside by using the leading half of the band
    H.rows=R/2-256; spmm_warp_vec4<128><<<(H.rows+3)/4,128>>>(H,(const float4*)dX,(float4*)Y); }
  sddmm<64><<<(B.nnz+15)/16,128>>>(B.nnz,dr2,B.idx,B.val,dX,dX,ov);
  CU(cudaGetLastError()); CU(cudaDeviceSynchronize()); puts("ok"); return 0;
}
